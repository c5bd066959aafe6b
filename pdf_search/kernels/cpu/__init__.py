"""The backend compiled for float32 tensors on the CPU; ``dispatch.CpuBackend`` lists it."""

from pdf_search.kernels.cpu.adamw import adamw_step as adamw_step
from pdf_search.kernels.cpu.batch_norm import norm_backward as norm_backward
from pdf_search.kernels.cpu.batch_norm import norm_forward as norm_forward
from pdf_search.kernels.cpu.batch_norm import norm_statistics as norm_statistics
from pdf_search.kernels.cpu.collate import collate_lists as collate_lists
from pdf_search.kernels.cpu.dropout import dropped as dropped
from pdf_search.kernels.cpu.grouping import places_by_group as places_by_group
from pdf_search.kernels.cpu.messages import message_backward as message_backward
from pdf_search.kernels.cpu.messages import message_forward as message_forward
from pdf_search.kernels.cpu.products import product as product
from pdf_search.kernels.cpu.segment_product import grouped_dot as grouped_dot
from pdf_search.kernels.cpu.segment_product import grouped_product as grouped_product
