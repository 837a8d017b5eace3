"""Trained models: trees and logistic models, and their files."""
