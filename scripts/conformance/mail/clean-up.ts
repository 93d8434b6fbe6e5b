/** Removes everything of a run, even of one that was killed. */
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'

/**
 * When this process ends, however it ends, removes the directory and kills the processes in jails below it or with it
 * among their arguments: a shell waits for the end of a pipe that only we hold open.
 */
export function cleanUpAfterUs(directory: string): void {
  const { stdin } = spawn('/bin/sh', ['-c', CLEAN_UP, 'sh', directory], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  // It must not keep this process alive.
  if (stdin instanceof Socket) stdin.unref()
}

const CLEAN_UP = `read -r nothing
for process in /proc/[0-9]*; do
  case "$(readlink "$process/root")" in "$1"/*) kill -9 "${'$'}{process#/proc/}" ;; esac
  if grep -qsF "$1/" "$process/cmdline"; then kill -9 "${'$'}{process#/proc/}"; fi
done
rm -rf "$1"`
