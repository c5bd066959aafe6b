"""The backend in plain torch: slow and readable. The other backends are tested against it."""

from pdf_search.kernels.reference.adamw import adamw_step as adamw_step
from pdf_search.kernels.reference.batch_norm import norm_backward as norm_backward
from pdf_search.kernels.reference.batch_norm import norm_forward as norm_forward
from pdf_search.kernels.reference.batch_norm import norm_statistics as norm_statistics
from pdf_search.kernels.reference.dropout import dropped as dropped
from pdf_search.kernels.reference.grouping import places_by_group as places_by_group
from pdf_search.kernels.reference.messages import message_backward as message_backward
from pdf_search.kernels.reference.messages import message_forward as message_forward
from pdf_search.kernels.reference.products import product as product
from pdf_search.kernels.reference.segment_product import grouped_dot as grouped_dot
from pdf_search.kernels.reference.segment_product import grouped_product as grouped_product
