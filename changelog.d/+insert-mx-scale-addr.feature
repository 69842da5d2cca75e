Scaled matrix products bind their scales right before them: `insert_mx_scale_addr`; a chip that has no such products refuses them.
