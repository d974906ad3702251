"""What a training needs of a device's memory, before it runs."""
