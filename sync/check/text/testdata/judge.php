<?php
// Says for each line of standard input, a text in Base64, what ICU's MessageFormatter refuses of it; an empty line is
// that it takes it.
while (($line = fgets(STDIN)) !== false) {
    try {
        $formatter = new MessageFormatter('en', base64_decode(trim($line)));
        echo "\n";
    } catch (Throwable $e) {
        echo 'refused ' . str_replace("\n", ' ', $e->getMessage()) . "\n";
    }
}
