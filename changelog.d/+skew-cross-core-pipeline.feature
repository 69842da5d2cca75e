SkewCrossCorePipeline lets the sending half of a loop between cores run ahead of the taking half.
