"""Claims about independent random blocks: IBGD, ISGD, IASGD, ISAGA, ISEGA."""
