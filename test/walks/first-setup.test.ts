/** The address that the service prints without an administrator, in a browser. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, testBrowser } from '../support/browser/browser.ts'
import { serve } from '../../scripts/tools/program.ts'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { storedSite, topicsOf } from '../support/offsite/stored-site.ts'
import { ADMIN_EMAIL } from '../support/service/service.ts'

const EMAIL = { role: 'textbox', name: 'E-mail address' } as const
const field = (name: string) => ({ role: 'textbox', name }) as const
const SIGN_IN = { role: 'button', name: 'Sign in' } as const

it('the printed address makes the first administrator, once', { skip: browserMissing() }, async (t) => {
  const service = await serve(t, ['--data-dir', join(temporaryDirectory(t), 'data'), '--print-setup'])
  let address: string | undefined
  while ((address = /at (\S+#setup=\S+)\n/.exec(service.output().stdout)?.[1]) === undefined) {
    if (service.child.stdout !== null) await once(service.child.stdout, 'data')
  }
  const hash = address.slice(address.indexOf('#'))
  const browser = testBrowser({ after })
  const open = async () => {
    const page = await browser.open(service.url)
    await page.open('/robots.txt')
    await page.evaluate(() => localStorage.setItem('dateline.choices', '{"language":"en"}'))
    await page.open(`/${hash}`)
    await page.find(EMAIL)
    return page
  }
  const [page, late] = [await open(), await open()]
  await late.open('/robots.txt')
  await late.open(`/${hash.slice(0, -1)}`)
  await late.reads(/This set-up address does not work: it is not complete/)
  await late.reads(/it prints an address that makes you administrator/)
  await late.find({ role: 'button', name: 'Send code' })
  await late.open('/robots.txt')
  await late.open(`/${hash}`)
  await late.find(EMAIL)
  assert.equal(await page.evaluate(() => location.hash), '#/')
  await page.type(EMAIL, 'you@example.org')
  await page.click(SIGN_IN)
  await page.find({ role: 'heading', name: 'Set up your service' })
  await expectAccessible(page)
  await page.type({ role: 'textbox', name: 'App name' }, 'City News')
  await page.click({ role: 'button', name: 'Save and continue' })
  await page.find({ role: 'heading', name: 'Mail' })
  await page.type(field('Mail server'), 'smtp.gmail.com')
  await page.press('Tab')
  assert.equal((await page.find(field('Port'))).value, '465')
  assert.equal((await page.find({ role: 'combobox', name: 'Provider' })).value, 'Gmail')
  await page.reads(/The password is an app password of the Google account/)
  await page.type(field('User'), 'you@example.org')
  await page.click({ role: 'button', name: 'Save and continue' })
  await page.reads(/Enter the password of this user/)
  await expectAccessible(page)
  await page.fill(field('User'), '')
  await page.fill(field('Mail server'), 'smtp://127.0.0.1:22')
  await page.click({ role: 'button', name: 'Save and continue' })
  await page.reads(/expected one of the ports 25, 465, 587, 1025, 2525, found 22/)
  await page.click({ role: 'button', name: 'Skip' })
  await page.click({ role: 'button', name: 'Load sample content' })
  await page.reads(/408 headlines, 32 topics and 46 sources were added/)
  await page.click({ role: 'button', name: 'Continue' })
  await page.type({ role: 'textbox', name: 'Back up every' }, '12h')
  await page.press('Enter')
  await page.find({ role: 'heading', name: 'Overview' })
  // Mail was skipped, so that no invitation and no code would arrive.
  await page.open('/#/users')
  await page.click({ role: 'button', name: 'Add user' })
  await page.find({ role: 'link', name: /^Mail is not set up: they get no invitation and no code/ })
  await page.gone({ role: 'StaticText', name: 'They sign in with a code sent to this address.' })
  await page.press('Escape')
  await page.open('/#/operations')
  await page.reads(/No mail server is set: codes are written to the log of the service/)
  await page.click({ role: 'link', name: 'Set up mail' })
  await page.focuses('Mail')
  // Browsers make no passkey at the address that is printed.
  await page.open('/#/sessions')
  const { port } = new URL(service.url)
  await page.find({ role: 'link', name: `Sign in at http://localhost:${port}/` })
  const setup = await fetch(new URL('/api/v1/dashboard/setup', service.url))
  assert.match(await setup.text(), /"appName":"City News"/)
  await late.type(EMAIL, 'late@example.org')
  await late.click(SIGN_IN)
  await late.find({ role: 'button', name: 'Send code' })
  assert.match(await late.evaluate(() => document.body.textContent ?? ''), /This set-up address no longer works, because there is an administrator/)
  // No mail is set up here, and none is said to be sent.
  await late.fill(EMAIL, 'you@example.org')
  await late.click({ role: 'button', name: 'Send code' })
  await late.reads(/The log of the service has a code for you@example\.org/)
})

it('the printed address brings a lost site back from its off-site backups', { skip: browserMissing() }, async (t) => {
  const site = await storedSite(t)
  const data = join(temporaryDirectory(t), 'data')
  const service = await serve(t, ['--data-dir', data, '--print-setup'])
  const [hash] = /#setup=\S+/.exec(service.output().stdout) ?? assert.fail()
  const page = await testBrowser({ after }).open(service.url)
  await page.open('/robots.txt')
  await page.evaluate(() => localStorage.setItem('dateline.choices', '{"language":"en"}'))
  await page.open(`/${hash}`)
  await page.click({ role: 'button', name: 'Restore this site from a backup' })
  await page.focuses('Place')
  await page.gone(EMAIL)
  await page.click({ role: 'button', name: 'Back' })
  await page.find(EMAIL)
  await page.click({ role: 'button', name: 'Restore this site from a backup' })
  await page.focuses('Place')
  await page.fill(field('Place'), 'file:///none')
  await page.fill(field('Identity, as “dateline backup key” has printed it'), readFileSync(site.key, 'utf8'))
  await page.click({ role: 'button', name: 'Show what it holds' })
  await page.reads(/no such file or directory: mount the disk/)
  await expectAccessible(page)
  await page.fill(field('Place'), site.place)
  await page.click({ role: 'button', name: 'Show what it holds' })
  await page.reads(/1 topic · 249 countries/)
  await expectAccessible(page)
  // What is given, the progress and the end stay in another language.
  const choose = async (before: string, language: string): Promise<void> => page.select({ role: 'combobox', name: before }, language)
  await choose('Language', 'العربية')
  assert.equal((await page.find({ role: 'textbox', name: 'الموقع' })).value, site.place)
  await expectAccessible(page)
  await choose('اللغة', 'English')
  await page.click({ role: 'button', name: 'Show what it holds' })
  const restore = await page.find({ role: 'button', name: 'Restore and restart' })
  service.child.kill('SIGSTOP')
  try {
    await page.click(restore)
    await page.find({ role: 'progressbar', name: /^Restoring/ })
    await choose('Language', 'العربية')
    await page.find({ role: 'progressbar', name: /^جارٍ/ })
    await choose('اللغة', 'English')
  } finally {
    service.child.kill('SIGCONT')
  }
  await page.reads(/The site is back, as it was on .* Sign in as you did there\..*--offsite file:/s)
  await expectAccessible(page)
  await choose('Language', 'Deutsch')
  await page.reads(/--offsite file:/)
  await choose('Sprache', 'English')
  assert.deepEqual(topicsOf(data), ['Ports'])
  await page.click(SIGN_IN)
  await page.type(EMAIL, ADMIN_EMAIL)
  await page.click({ role: 'button', name: 'Send code' })
  await page.find({ role: 'textbox', name: 'Six-digit code' })
})
