"""A small program on devicekit: every public name, with the types that a user's type checker should see."""
