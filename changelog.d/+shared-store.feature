A store that a plugin provides stands behind the local one with `--shared-store NAME:LOCATION` or PYPTO_BUILD_SHARED_STORE, so that machines share results.
