#!/usr/bin/env python3
"""polling_client.py PORT: three connections that send the same bytes in the same order every time, at different
moments."""
import random
import socket
import sys
import time

connections = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(3)]
for _ in range(6):
    for number, connection in enumerate(connections):
        connection.sendall(b"hello"[:3 + number])
        time.sleep(random.choice((0, 0, random.random() / 2000)))
for connection in connections:
    connection.close()
