"""What looks at a program while it runs, and says at the end what it saw."""
