"""The backend for the GPU, in Triton; what torch's own kernels do well is the reference's."""

from pdf_search.kernels.reference.grouping import places_by_group as places_by_group
from pdf_search.kernels.reference.products import product as product
from pdf_search.kernels.triton.adamw import adamw_step as adamw_step
from pdf_search.kernels.triton.batch_norm import norm_backward as norm_backward
from pdf_search.kernels.triton.batch_norm import norm_forward as norm_forward
from pdf_search.kernels.triton.batch_norm import norm_statistics as norm_statistics
from pdf_search.kernels.triton.dropout import dropped as dropped
from pdf_search.kernels.triton.messages import message_backward as message_backward
from pdf_search.kernels.triton.messages import message_forward as message_forward
from pdf_search.kernels.triton.segment_product import grouped_dot as grouped_dot
from pdf_search.kernels.triton.segment_product import grouped_product as grouped_product
