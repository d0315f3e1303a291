"""python -m chaos"""

from chaos.cli import app
from chaos.command import main

if __name__ == "__main__":
    main(app, "python -m chaos")
