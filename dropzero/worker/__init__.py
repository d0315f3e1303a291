"""The collectives of one worker: `connect` joins a job and returns its `Communicator`."""
