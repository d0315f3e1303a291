"""All-reduces that need no switch program, as hosts' messages: over TCP in `bench`, in virtual time here."""
