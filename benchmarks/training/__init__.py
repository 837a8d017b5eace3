"""The trainings of the package's classifiers."""
