#!/usr/bin/env node
// Runs the program that the package of this machine holds, with the same arguments, streams, signals and exit code.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `@locsync/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/locsync${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`locsync: the package ${name} is not installed. Install locsync again without --omit=optional and ` +
    "without a lock file of another machine; if there is no such package, locsync has no build for this machine.");
  process.exit(2);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends its interrupt to both; sent twice, it would end the program in the middle of its work.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`locsync: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
