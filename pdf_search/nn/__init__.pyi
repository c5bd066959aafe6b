from .bases import PDFBases as PDFBases
from .layers import PDFConv as PDFConv
from .layers import PDFFilter as PDFFilter
from .pairs import PDFPairs as PDFPairs
