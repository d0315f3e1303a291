"""python -m lab.chaos"""

from lab.chaos.cli import app, main

if __name__ == "__main__":
    main(app, "python -m lab.chaos")
