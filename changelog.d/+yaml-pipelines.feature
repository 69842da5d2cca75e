Pipelines are YAML files: `extends`, `edit`, typed parameters and variants, and every mistake is reported at once with its line and a suggestion.
