/** The directory in which all nodes leave their mail, and the codes in it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function createMailbox(directory: string) {
  const known = new Set<string>()
  const codes = new Map<string, string>()
  const look = (): void => {
    for (const name of readdirSync(directory)) {
      if (known.has(name) || !name.endsWith('.eml')) continue
      known.add(name)
      const text = readFileSync(join(directory, name), 'utf8')
      const email = /^To: <?([^>\r\n]+)/im.exec(text)?.[1]
      const code = /^Subject: .*?\b(\d{6})\b/m.exec(text)?.[1]
      if (email !== undefined && code !== undefined) codes.set(email, code)
    }
  }
  return {
    /** The newest code that was sent to an address, if one was. */
    codeFor(email: string): string | undefined {
      if (!codes.has(email)) look()
      return codes.get(email)
    },
  }
}

export type Mailbox = ReturnType<typeof createMailbox>
