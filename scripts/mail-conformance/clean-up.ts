/** Nothing of a run stays behind, not even of one that was killed. */
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'

/**
 * As soon as this process is no more, whatever ended it, removes the directory and ends what still runs in jails below
 * it or has it among its arguments: a shell waits for the end of a pipe that only we hold open.
 */
export function cleanUpAfterUs(directory: string): void {
  const { stdin } = spawn('/bin/sh', ['-c', CLEAN_UP, 'sh', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Neither does it keep us from ending.
  if (stdin instanceof Socket) stdin.unref()
}

const CLEAN_UP = `read -r nothing
for process in /proc/[0-9]*; do
  case "$(readlink "$process/root")" in "$1"/*) kill -9 "${'$'}{process#/proc/}" ;; esac
  if grep -qsF "$1/" "$process/cmdline"; then kill -9 "${'$'}{process#/proc/}"; fi
done
rm -rf "$1"`
