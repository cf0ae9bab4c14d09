"""Collect what pages hold, such as checks and claims, and make the pages and boxes that are made from it."""
