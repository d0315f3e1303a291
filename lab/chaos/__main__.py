"""python -m lab.chaos"""

from lab.chaos.cli import app

if __name__ == "__main__":
    app(prog_name="python -m lab.chaos")
