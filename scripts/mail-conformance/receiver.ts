/** What the cases need of any mail server, and the mail that it put into its folder. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const ARRIVAL_MS_MAX = 10_000
const POLL_MS = 10

export interface Account {
  readonly user: string
  readonly password: string
}

export interface Receiver {
  readonly name: string
  readonly version: string
  /** One file for each mail. */
  readonly folder: string
  /** What the server has to say for itself, for a case that failed. */
  troubles(): string
}

/** Waits for one mail that was not there before; takes it out and gives its bytes, its lines ended by CRLF. */
export async function nextMail({ folder }: Receiver): Promise<Buffer> {
  const deadline = performance.now() + ARRIVAL_MS_MAX
  for (;;) {
    const [file] = filesIn(folder)
    if (file !== undefined) {
      // A server keeps mail with the line ends of its system.
      const text = readFileSync(file, 'latin1').replace(/\r?\n/g, '\r\n')
      rmSync(file)
      return Buffer.from(text, 'latin1')
    }
    if (performance.now() > deadline) throw new Error(`no mail came within ${ARRIVAL_MS_MAX} ms`)
    await pause(POLL_MS)
  }
}

/** Takes out what a case that failed has left. */
export function dropMail({ folder }: Receiver): void {
  for (const file of filesIn(folder)) rmSync(file)
}

/** Whether mail lies there that no case has asked for. */
export function hasMail({ folder }: Receiver): boolean {
  return filesIn(folder).length > 0
}

function filesIn(folder: string): string[] {
  // The server makes its folder with the first mail.
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
}
