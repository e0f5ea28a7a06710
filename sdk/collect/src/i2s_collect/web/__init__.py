"""Requests to public servers: one connection a host, gaps kept, robots.txt obeyed, every answer stored."""
