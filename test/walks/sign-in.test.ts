/** Signing in, staying signed in, and what becomes of work when a session ends in the middle of it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeIn } from '../../src/dashboard/screens/sign-in/code-text.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { newPerson } from '../support/cast.ts'
import { SYSTEM } from '../../src/store/actor.ts'

const dashboard = await startDashboard({ rateLimits: 'on', codesPerEmail: '3' })
const { service, cast } = dashboard

describe('the code in a text', () => {
  it('is found whatever stands around it', () => {
    for (const [text, code] of [
      ['123456', '123456'],
      [' 123 456\n', '123456'],
      ['Your code for Channel 4 is 123456, valid for 15 minutes', '123456'],
      ['Code: 123-456.', '123456'],
      ['١٢٣٤٥٦', '123456'],
      ['12a34', '1234'],
      ['1234567', '123456'],
      ['none', ''],
    ] as const) {
      assert.equal(codeIn(text), code, JSON.stringify(text))
    }
  })
})

describe('signing in', { skip: browserMissing() }, () => {
  const EMAIL = { role: 'textbox', name: 'E-mail address' } as const
  const CODE = { role: 'textbox', name: 'Six-digit code' } as const
  const SEND = { role: 'button', name: 'Send code' } as const
  let shared: Page | undefined

  /** One window for all: without a session and nothing kept, or with this token in the tab. */
  const fresh = async (hash = '', token = ''): Promise<Page> => {
    shared ??= await dashboard.open()
    await shared.open('/robots.txt')
    await shared.evaluate((kept) => {
      sessionStorage.clear()
      localStorage.setItem('dateline.choices', '{"language":"en"}')
      localStorage.removeItem('dateline.token')
      if (kept !== '') sessionStorage.setItem('dateline.token', kept)
    }, token)
    await shared.open(`/${hash}`)
    if (token === '') await shared.find(EMAIL)
    return shared
  }
  /** Sends what was typed in a session that has ended meanwhile. */
  const sendAfterTheEnd = async (page: Page, user: string): Promise<void> => {
    await page.click({ role: 'button', name: 'Send test mail' })
    await page.fill({ role: 'textbox', name: 'To' }, 'typed@example.org')
    await page.inspect({ role: 'textbox', name: 'To' }, (field) => {
      Object.assign(globalThis, { sendNow: () => (field as HTMLInputElement).form?.requestSubmit() })
    })
    await service.app.services.store.as(SYSTEM).endSessions(user, service.now())
    // Also where something that the page reads by itself has met the end of the session first.
    await page.evaluate(() => (globalThis as unknown as { sendNow(): void }).sendNow())
    await page.find({ role: 'dialog', name: 'Sign in' })
  }
  const isSentAfterAll = async (page: Page): Promise<void> => {
    await page.gone({ role: 'dialog', name: 'Sign in' })
    await page.find({ role: 'region', name: 'Conversation with the mail server' })
    assert.equal((await page.find({ role: 'textbox', name: 'To' })).value, 'typed@example.org')
  }
  const newestCode = async (email: string): Promise<string> => {
    const code = /\b\d{6}\b/.exec((await service.mails(email)).at(-1) ?? '')?.[0]
    assert.ok(code, `no code in the mail to ${email}`)
    return code
  }
  const askFor = async (page: Page, email: string): Promise<void> => {
    await page.fill(EMAIL, email)
    await page.click(SEND)
    await page.find(CODE)
  }
  const signIn = async (page: Page, email: string): Promise<void> => {
    await askFor(page, email)
    await page.paste(CODE, await newestCode(email))
  }
  const tokens = (page: Page): Promise<readonly (string | null)[]> =>
    page.evaluate(() => [sessionStorage.getItem('dateline.token'), localStorage.getItem('dateline.token')])
  /**
   * Waits for a page that reloads itself, by a selector of what it had not before: Chromium's tab can crash where it
   * is asked for accessible nodes while it loads.
   */
  const comesUp = (page: Page, selector: string): Promise<unknown> =>
    page.waitFor(
      () =>
        page.evaluate(
          (wanted) => document.querySelector('dialog') === null && document.querySelector(wanted) !== null,
          selector,
        ),
      `the page with ${selector}`,
    )
  const newPublisher = (): ReturnType<typeof newPerson> => newPerson(service, 'publisher', cast.admin.token)

  it('takes the code of the mail in one go, and goes on at the address that was asked for', async () => {
    const page = await fresh('#/operations?part=limits')
    await page.focuses('E-mail address')
    await expectAccessible(page)
    await askFor(page, cast.admin.email)
    await page.focuses('Six-digit code')
    await page.reads(/We sent a code to/)
    const code = await newestCode(cast.admin.email)
    await page.paste(CODE, `Your code is\n  ${code.slice(0, 3)} ${code.slice(3)}.`)
    await page.find({ role: 'table', name: 'Limits' })
    await page.expectNoProblems()
  })

  it('says what is wrong with an address, a role, a code, and how long to wait', async () => {
    const page = await fresh()
    await page.fill(EMAIL, 'unknown@example.org')
    await page.press('Enter')
    await page.reads(/No account uses this e-mail address/)
    await page.fill(EMAIL, cast.standard.email)
    await page.press('Enter')
    await page.reads(/This account cannot open the dashboard/)
    const { email } = await newPublisher()
    await askFor(page, email)
    const code = await newestCode(email)
    await page.type(CODE, String((Number(code) + 1) % 1_000_000).padStart(6, '0'))
    await page.reads(/This code is wrong or has expired/)
    await page.focuses('Six-digit code')
    await page.find({ role: 'button', name: /^Send a new code in \d+ seconds$/ })
    await page.evaluate(() => {
      const { now } = Date
      Date.now = () => now() + 31_000
    })
    await page.click({ role: 'button', name: 'Send a new code' })
    await page.waitFor(async () => (await newestCode(email)) !== code, 'the second code')
    await service.call('POST', '/api/v1/auth/request-code', { body: { email } })
    await page.find({ role: 'button', name: /^Send a new code in \d+ seconds$/ })
    await page.evaluate(() => {
      const { now } = Date
      Date.now = () => now() + 31_000
    })
    await page.click({ role: 'button', name: 'Send a new code' })
    await page.reads(/Too many attempts/)
    const held = await page.find({ role: 'button', name: /^Send a new code in 1[45] minutes/ })
    assert.equal(held.states['disabled'], true)
    await page.paste(CODE, await newestCode(email))
    await page.find({ role: 'heading', name: 'Overview' })
    const url = '/api/v1/auth/'
    await page.expectNoProblems([400, 401, 403, 429].map((status) => ({ status, url })))
  })

  it('asks again over the work when the session has ended, and sends what waited', async () => {
    const person = await newPerson(service, 'admin', cast.admin.token)
    const page = await fresh('#/operations?part=outbox', person.token)
    await sendAfterTheEnd(page, person.id)
    await page.reads(/Your session has ended/)
    await page.press('Escape', 'Escape')
    assert.equal((await page.find(EMAIL)).value, person.email)
    await page.click(SEND)
    await page.find(CODE)
    await page.paste(CODE, await newestCode(person.email))
    await isSentAfterAll(page)
    assert.match(await page.url(), /#\/operations\?part=outbox$/)
    await page.expectNoProblems([{ status: 401 }])
  })

  it('sends nothing that one user began in the name of another who signs in there', async () => {
    const person = await newPerson(service, 'admin', cast.admin.token)
    const page = await fresh('#/operations?part=outbox', person.token)
    await sendAfterTheEnd(page, person.id)
    const { email } = await newPublisher()
    await signIn(page, email)
    await comesUp(page, '#main')
    await page.find({ role: 'heading', name: 'Overview' })
    const tests = (await page.requests()).filter(({ url }) => url.endsWith('/outbox/test'))
    assert.deepEqual(tests.map(({ status }) => status), [401])
    await page.find({ role: 'button', name: `Account: ${email}` })
    await page.expectNoProblems([{ status: 401 }])
  })

  it('tells a publisher whose role was taken away', async () => {
    const person = await newPublisher()
    const page = await fresh('#/nowhere', person.token)
    await page.find({ role: 'heading', name: 'Page not found' })
    const { token } = cast.admin
    const found = await service.data('GET', `/${person.id}`, { model: 'user' }, { token })
    const body = { ...(found.at('data') as object), dashboardRole: 'none' }
    const changed = await service.data('PUT', `/${person.id}`, { model: 'user' }, { token, body })
    assert.equal(changed.status, 200, changed.text)
    await page.evaluate(() => void (location.hash = '#/'))
    await page.find({ role: 'dialog', name: 'Your role has changed' })
    await page.click({ role: 'button', name: 'Reload' })
    await comesUp(page, '#sign-in-email')
    await page.reads(/cannot open the dashboard/)
    await page.waitFor(async () => (await tokens(page)).join() === ',', 'no token')
    await page.expectNoProblems([{ status: 403 }])
  })
})
