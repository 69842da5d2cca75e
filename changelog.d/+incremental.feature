Builds are incremental by pass and function: a comment edit runs no pass, an edit of one function runs the passes of that function.
