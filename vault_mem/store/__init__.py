"""A store that machines share: objects in a bucket, and what this machine knows about them."""
