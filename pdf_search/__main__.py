"""The program ``pdf-search``, which is ``python -m pdf_search`` too."""

from pdf_search.signals import begin_program, end_program


def main() -> None:
    """Import the command line and run it."""
    begin_program()
    from pdf_search.cli import main as run  # noqa: PLC0415

    try:
        run()
    except SystemExit as ending:
        end_program(ending)


if __name__ == "__main__":
    main()
