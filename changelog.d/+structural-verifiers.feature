Verifiers re-derive single assignment, types, control flow, outputs, atomic additions and fifteen more properties.
