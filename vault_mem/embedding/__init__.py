"""Text to vector, and what a cosine between two vectors means."""
