"""`python -m hoptrail`: the command line, where the command itself is not on the path."""

from hoptrail.cli import main

if __name__ == "__main__":
    main()
