/**
 * Whether a mail program can get the rights that it needs. Under `no_new_privs` (prctl(2), the unit's NoNewPrivileges=) the
 * kernel ignores the set-user-id and set-group-id bits of what a process starts (execve(2)). Postfix's sendmail has none, but
 * starts postdrop, which has.
 */
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const SET_ID_BITS = 0o6000
export const RIGHTS_REMEDY = 'use --mail smtp://127.0.0.1, or see “A mail program under systemd” in the guide mail'

/** A warning where the kernel would take rights from the program at this path, or from the helper that it starts. */
export function rightsWarnings(program: string, hasNoNewPrivileges = isUnderNoNewPrivileges()): readonly string[] {
  if (!hasNoNewPrivileges) return []
  const helper = join(dirname(program), 'postdrop')
  const held = [program, ...(basename(program) === 'sendmail' ? [helper] : [])].find(hasSetIdBit)
  if (held === undefined) return []
  return [`mail may fail: ${JSON.stringify(held)} runs with rights of its own, which NoNewPrivileges of this process refuses: ${RIGHTS_REMEDY}`]
}

/** proc_pid_status(5); false where there is no such file. */
function isUnderNoNewPrivileges(): boolean {
  try {
    return /^NoNewPrivs:\t1$/m.test(readFileSync('/proc/self/status', 'utf8'))
  } catch {
    return false
  }
}

function hasSetIdBit(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & SET_ID_BITS) !== 0
}
