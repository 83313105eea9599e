"""The extra exercises of chapter 4, *Keep the heartbeat on time*."""
