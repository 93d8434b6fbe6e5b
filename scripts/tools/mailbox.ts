/** The directory in which services leave their mail as files, and the sign-in codes in it. One reader takes all mail. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const MAIL_MS_MAX = 10_000
const POLL_MS = 20

export function createMailbox(directory: string) {
  const codes = new Map<string, string>()
  const look = (): void => {
    for (const name of readdirSync(directory).sort()) {
      // A name with a dot is a mail that is still written.
      if (name.startsWith('.')) continue
      const mail = readFileSync(join(directory, name), 'utf8')
      rmSync(join(directory, name))
      const email = /^To: <?([^>\r\n]+)/im.exec(mail)?.[1]
      const code = /^Subject: .*?\b(\d{6})\b/m.exec(mail)?.[1]
      if (email !== undefined && code !== undefined) codes.set(email, code)
    }
  }
  return {
    /** The newest code that was sent to an address, if one was. */
    newestCode(email: string): string | undefined {
      if (!codes.has(email)) look()
      return codes.get(email)
    },
    /** Waits for the next code for an address, and takes it. Rejects where none comes in ten seconds. */
    async codeFor(email: string): Promise<string> {
      const deadline = performance.now() + MAIL_MS_MAX
      for (look(); ; await pause(POLL_MS), look()) {
        const code = codes.get(email)
        if (code !== undefined) {
          codes.delete(email)
          return code
        }
        if (performance.now() > deadline) throw new Error(`No mail came to ${email}`)
      }
    },
  }
}

export type Mailbox = ReturnType<typeof createMailbox>
