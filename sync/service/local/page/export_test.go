package page

// Passwords are derived quickly in tests.
func init() { rounds = 10 }
