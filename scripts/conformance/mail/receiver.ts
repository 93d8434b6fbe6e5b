/** What all mail servers have in common: a folder with the mail that arrived. */
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
  /** The logs of the server, for a case that failed. */
  logs(): string
}

/** Waits for a mail; removes it and returns its bytes, with CRLF line ends. */
export async function nextMail({ folder }: Receiver): Promise<Buffer> {
  const deadline = performance.now() + ARRIVAL_MS_MAX
  for (;;) {
    const [file] = filesIn(folder)
    if (file !== undefined) {
      // Servers store mail with the line ends of their system.
      const text = readFileSync(file, 'latin1').replace(/\r?\n/g, '\r\n')
      rmSync(file)
      return Buffer.from(text, 'latin1')
    }
    if (performance.now() > deadline) throw new Error(`no mail came within ${ARRIVAL_MS_MAX} ms`)
    await pause(POLL_MS)
  }
}

/** Removes what a failed case has left. */
export function dropMail({ folder }: Receiver): void {
  for (const file of filesIn(folder)) rmSync(file)
}

/** Whether an unexpected mail is there. */
export function hasMail({ folder }: Receiver): boolean {
  return filesIn(folder).length > 0
}

function filesIn(folder: string): string[] {
  // Servers create the folder with the first mail.
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
}
