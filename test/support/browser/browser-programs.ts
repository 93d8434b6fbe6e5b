/** Where Chromium and its driver are on this machine, or why there is none. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const DRIVERS = ['chromedriver']
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome']
/** Where Debian puts both. It comes first, so that driver and browser are of one version. */
const DEBIAN = '/usr/bin'

export interface BrowserPrograms {
  readonly driver: string
  readonly browser: string
}

/** For `skip`: why no test can drive a browser here; undefined where it can. */
export function browserMissing(): string | undefined {
  const found = findPrograms()
  return typeof found === 'string' ? found : undefined
}

/** The paths of both programs. Throws where one is missing. */
export function browserPrograms(): BrowserPrograms {
  const found = findPrograms()
  if (typeof found === 'string') throw new Error(`Cannot start a browser: ${found}`)
  return found
}

function findPrograms(): BrowserPrograms | string {
  if (process.platform === 'win32') return 'the browser is watched over by a shell, which Windows does not have'
  const [driver, browser] = [firstInPath(DRIVERS), firstInPath(BROWSERS)]
  if (driver === undefined) return 'there is no chromedriver (Debian: chromium-driver)'
  if (browser === undefined) return 'there is no chromium'
  return { driver, browser }
}

function firstInPath(names: readonly string[]): string | undefined {
  const folders = [DEBIAN, ...(process.env['PATH'] ?? '').split(delimiter)].filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
