"""What the library is measured against: the same canonical rewards and distances, written in Python."""
