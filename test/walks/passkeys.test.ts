/** Passkeys in a real browser, with the virtual authenticator of WebDriver: added, used, refused, removed. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'
import { newPerson, type Person } from '../support/cast.ts'
import type { VirtualAuthenticator } from '../support/browser/virtual-authenticator.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const browser = testBrowser({ after })
const text = (name: string | RegExp) => ({ role: 'StaticText', name }) as const
const USE = button('Sign in with a passkey')
const EMAIL = { role: 'textbox', name: 'E-mail address' } as const

describe('passkeys', { skip: browserMissing() }, () => {
  let [page, device, person] = [] as unknown as [Page, VirtualAuthenticator, Person]
  before(async () => {
    // A passkey belongs to a name: browsers make none for an IP address.
    const url = service.url.replace('127.0.0.1', 'localhost')
    page = await browser.open(url)
    device = await page.authenticator()
    person = await newPerson(service, 'publisher', cast.admin.token)
  })
  const open = async (hash: string, token: string | null): Promise<void> => {
    await page.open('/robots.txt')
    await page.evaluate((kept) => {
      localStorage.setItem('dateline.choices', '{"language":"en"}')
      if (kept === null) sessionStorage.removeItem('dateline.token')
      else sessionStorage.setItem('dateline.token', kept)
    }, token)
    await page.open(`/${hash}`)
  }
  const newestCode = async (): Promise<string> => /\b\d{6}\b/.exec((await service.mails(person.email)).at(-1) ?? '')?.[0] ?? ''

  it('one is added behind a fresh code, and listed', async () => {
    await open('#/sessions', person.token)
    await page.find(text('No passkeys yet.'))
    await page.click(button('Add a passkey'))
    await page.find({ role: 'dialog', name: 'Add a passkey' })
    await page.fill({ role: 'textbox', name: 'Six-digit code' }, (await newestCode()) === '000000' ? '000001' : '000000')
    await page.press('Enter')
    await page.find(text(/The code is wrong or has expired/))
    await page.fill({ role: 'textbox', name: 'Name' }, 'Laptop')
    await page.fill({ role: 'textbox', name: 'Six-digit code' }, await newestCode())
    await page.press('Enter')
    await page.find(button('Remove Laptop'))
    await page.expectNoProblems([{ status: 400, url: '/auth/passkeys' }])
  })

  it('signs in without an address or a code', async () => {
    await open('', null)
    await page.find(EMAIL)
    await page.click(USE)
    await page.find({ role: 'heading', name: 'Overview' })
    const { items } = (await service.call('GET', '/api/v1/auth/passkeys', { token: person.token })).at('data') as {
      readonly items: readonly { readonly lastUsedAt: string | null }[]
    }
    assert.ok(items[0]?.lastUsedAt)
    await page.expectNoProblems()
  })

  it('signs in no person that the device does not recognise, and says so', async () => {
    await device.recognise(false)
    await open('', null)
    await page.click(USE)
    await page.find(text(/No passkey was used/))
    await device.recognise(true)
    await page.expectNoProblems()
  })

  it('is removed, and does not sign in any more', async () => {
    await open('#/sessions', person.token)
    await page.click(button('Remove Laptop'))
    await page.click(button('Remove'))
    await page.find(text('No passkeys yet.'))
    await open('', null)
    await page.click(USE)
    await page.find(text(/This passkey is not known here/))
    await page.expectNoProblems([{ status: 401, url: '/auth/passkeys' }])
  })
})
