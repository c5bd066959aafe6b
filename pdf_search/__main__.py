"""The program ``pdf-search``, which is ``python -m pdf_search`` too."""

from pdf_search.signals import begin_program


def main() -> None:
    """Import the command line and run it."""
    begin_program()
    from pdf_search.cli import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
