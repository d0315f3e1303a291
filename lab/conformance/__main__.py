"""python -m lab.conformance"""

from lab.conformance.cli import main

if __name__ == "__main__":
    main()
