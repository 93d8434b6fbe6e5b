/** The mail that invites a user, in each language: what it says, and that no part of it acts or looks like a code. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeRunsOf } from '../../src/mail/message/code-runs.ts'
import { INVITATION_LANGUAGES, invitationMail } from '../../src/mail/templates/invitation-mail.ts'
import { BUILT_IN_LANGUAGES } from '../../src/mail/templates/built-in-mail.ts'
import { parseInvitationUrl } from '../../src/mail/templates/invitation-url.ts'

const INVITATION = { email: 'ann&o\'neil@example.org', inviter: 'chief@example.org', url: 'https://news.example.org/' }
const LINK = 'https://news.example.org/#/?email=ann%26o\'neil%40example.org'

describe('an invitation', () => {
  it('is there in the languages of the sign-in mail', () => {
    assert.deepEqual(INVITATION_LANGUAGES, BUILT_IN_LANGUAGES)
    assert.equal(invitationMail({ ...INVITATION, languages: ['xx'] }, 'News').language, 'en')
    assert.equal(invitationMail({ ...INVITATION, languages: ['de-AT'] }, 'News').language, 'de')
  })
  for (const language of INVITATION_LANGUAGES) {
    it(`in ${language} says who invites, to what and where, and has no code and no placeholder`, () => {
      for (const appName of ['Dateline', 'أخبار 24', '{{inviter}} <b>&"']) {
        const { subject, text, html } = invitationMail({ ...INVITATION, languages: [language] }, appName)
        for (const part of [text, html]) assert.doesNotMatch(part.replaceAll(appName, ''), /\{\{(?!inviter)|undefined/)
        for (const part of [subject, text, html]) assert.deepEqual(codeRunsOf(part), [])
        for (const told of [appName, INVITATION.email, INVITATION.inviter, LINK]) assert.ok(text.includes(told), told)
        assert.ok(subject.includes(appName))
        assert.doesNotMatch(html, /<b>|"ann&o/)
        assert.equal(html.match(/<a /g)?.length, 1)
        assert.ok(html.includes('href="https://news.example.org/#/?email=ann%26o&#39;neil%40example.org"'))
      }
    })
  }
  it('of the operator names no person', () => {
    const { text } = invitationMail({ ...INVITATION, inviter: undefined, languages: ['en'] }, 'News')
    assert.match(text, /^The operator of the service invites you to News\./)
  })
})

describe('the address of the dashboard', () => {
  it('ends in a slash', () => {
    for (const given of ['https://news.example.org', 'https://news.example.org/']) {
      assert.equal(parseInvitationUrl(given), 'https://news.example.org/')
    }
    assert.equal(parseInvitationUrl(' http://10.0.0.7:8080/desk '), 'http://10.0.0.7:8080/desk/')
  })
  for (const given of ['', 'news.example.org', 'javascript:alert(1)', 'https://a@b.example/', 'https://b.example/?a', 'https://b.example/#a', `https://b.example/${'x'.repeat(300)}`, 'https://b.example/123456']) {
    it(`is not ${JSON.stringify(given.slice(0, 40))}`, () => {
      assert.throws(() => parseInvitationUrl(given), /expected a URL/)
    })
  }
})
