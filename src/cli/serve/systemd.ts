/**
 * Socket activation and readiness notification of systemd (sd_listen_fds(3), sd_notify(3)). Node has no Unix datagram
 * sockets: `systemd-notify` sends notifications, so the unit needs `NotifyAccess=all`.
 */
import { spawn } from 'node:child_process'
import type { Log } from '../../base/log.ts'
import type { Environment } from '../../config/settings.ts'
import { ListenError } from '../../http/listening.ts'

const FIRST_DESCRIPTOR = 3
const NOTIFY_MS_MAX = 5_000

/** The descriptor of the socket that systemd passed to this process; undefined without one. Throws ListenError. */
export function inheritedSocket({ LISTEN_PID, LISTEN_FDS }: Environment, pid: number): number | undefined {
  // Children of the process that they are meant for inherit the variables.
  if (LISTEN_FDS === undefined || LISTEN_PID !== String(pid)) return undefined
  if (LISTEN_FDS === '1') return FIRST_DESCRIPTOR
  throw new ListenError(`Cannot take the sockets of LISTEN_FDS: expected 1, found ${JSON.stringify(LISTEN_FDS)}`)
}

/** Sends states such as `READY=1`; does nothing where systemd does not listen. A failure goes to the log. */
export type Notify = (...states: readonly string[]) => void

export function notifier({ NOTIFY_SOCKET, PATH }: Environment, log: Log): Notify {
  if (NOTIFY_SOCKET === undefined || NOTIFY_SOCKET === '') return () => {}
  return (...states) => {
    const child = spawn('systemd-notify', states, {
      // Without LISTEN_PID and the secrets of our environment.
      env: { NOTIFY_SOCKET, ...(PATH === undefined ? {} : { PATH }) },
      stdio: 'ignore',
      timeout: NOTIFY_MS_MAX,
    })
    const failed = (reason: string): void => log.warn('systemd.notify-failed', { states, reason })
    child.once('error', (error) => failed(error.message))
    child.once('exit', (code, signal) => {
      if (code !== 0) failed(`systemd-notify ended with ${signal ?? `status ${code ?? '?'}`}`)
    })
  }
}
