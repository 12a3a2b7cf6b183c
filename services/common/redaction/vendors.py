"""Keys without a form of their own: random text that is assigned to a name with its issuer in it."""

from typing import Final

from services.common.redaction.rules import Rule, Shape

_ISSUERS: Final = (
    "adafruit adobe airtable algolia alibaba artifactory asana atlassian beamer bintray bitbucket bittrex"
    " cloudflare codecov cohere co_api_key coinbase confluence confluent contentful contribsys datadog"
    " discord dnkey droneci dropbox etsy facebook fastly finicity finnhub flickr freshbooks gitter"
    " gocardless heroku hubspot intercom jfrog jira kraken kucoin launchdarkly linear linkedin linked_in"
    " linked-in lob looker mailchimp mailgun mapbox mattermost meraki messagebird message_bird message-bird"
    " netlify newrelic new_relic new-relic nytimes newyorktimes new-york-times okta plaid privateai"
    " private_ai private-ai rapidapi sendbird sentry snyk sonar square squarespace sumo telegr travis"
    " twitch twitter typeform xray yandex zendesk"
)

VENDOR: Final = Rule(
    "vendor-key",
    tuple(_ISSUERS.split()),
    rf"(?i)(?P<name>(?:{_ISSUERS.replace(' ', '|')})[ \t\w.,-]{{0,20}})[\s\"'\\]{{0,3}}"
    r"(?:=>|:{1,3}=|\?=|=|:|\|\||>|,)[\x60\"'\s=\\]{0,5}([0-9A-Za-z_=./+%:-]{14,})",
    2.5,
    Shape.RANDOMISH,
)
