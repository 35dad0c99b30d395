package own

// Requests is what keys are sent in.
var Requests = requests
