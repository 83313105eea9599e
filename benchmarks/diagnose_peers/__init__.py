"""What do other tools name where a program is late?  The same programs under each."""
