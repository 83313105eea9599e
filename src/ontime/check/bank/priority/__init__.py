"""The extra exercises of chapter 7, *Put the lease first*."""
