LegalizeTileCast makes chains of native conversions where a chip has no single instruction.
