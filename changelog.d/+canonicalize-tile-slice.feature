CanonicalizeTileSlice extracts the windows of tiles that instructions cannot read in place.
