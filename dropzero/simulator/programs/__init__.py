"""Any P4 program in virtual time: switches, and hosts that send captures or whatever Python gives them."""
