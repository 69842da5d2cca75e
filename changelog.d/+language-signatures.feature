The functions of the language show their parameters in `help()`, and take exactly those of the public interface.
