"""Tokens that are known by how they begin: one row for each issuer and kind."""

from typing import Final

from services.common.redaction.rules import Rule, Shape

# Where a token begins: behind an escape in a string, too.
_B: Final = r"(?:^|[^0-9A-Za-z]|\\[nrt])"


def _token(rule_id: str, keywords: str, pattern: str, entropy: float = 2.0, shape: Shape = Shape.ANY) -> Rule:
    """Return the rule of a token that is known by how it begins."""
    return Rule(rule_id, tuple(keywords.split()), f"{_B}({pattern})", entropy, shape)


TOKENS: Final = (
    _token(
        "1password-token", "a3- ops_ey", r"A3-[0-9A-Z]{6}-[0-9A-Z-]{20,34}|ops_eyJ[0-9A-Za-z+/]{64,}={0,3}"
    ),
    _token("adobe-token", "p8e-", r"p8e-[0-9A-Za-z]{32}"),
    _token("age-key", "age-secret-key-1", r"(?i)AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _token("airtable-token", "pat", r"pat[0-9A-Za-z]{14}\.[0-9a-f]{64}"),
    _token("alibaba-key", "ltai", r"LTAI[0-9A-Za-z]{12,28}"),
    _token("anthropic-key", "sk-ant", r"sk-ant-[0-9A-Za-z_-]{20,}"),
    _token("artifactory-token", "akcp cmvmd", r"AKCp[0-9A-Za-z]{60,}|cmVmd[0-9A-Za-z]{55,}"),
    _token("atlassian-token", "atatt3", r"ATATT3[0-9A-Za-z_=-]{60,}"),
    _token(
        "authress-key",
        "sc_ ext_ scauth_ authress_",
        r"(?i)(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}",
    ),
    _token("aws-key-id", "a3t akia asia abia acca", r"(?:A3T[0-9A-Z]|AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    _token(
        "aws-bedrock-key",
        "absk bedrock-api-key-",
        r"ABSK[0-9A-Za-z+/]{60,}={0,2}|bedrock-api-key-[0-9A-Za-z+/=]{20,}",
    ),
    _token("azure-secret", "q~", r"[0-9A-Za-z_~.]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34}"),
    _token("clickhouse-key", "4b1d", r"4b1d[0-9A-Za-z]{38}\b", 3.0),
    _token("clojars-token", "clojars_", r"(?i)CLOJARS_[0-9a-z]{60}"),
    _token("cloudflare-key", r"v1\.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    _token("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    _token("digitalocean-token", "do_v1_ doo_v1_ dop_v1_ dor_v1_", r"(?i)do[opr]_v1_[0-9a-f]{64}"),
    _token("doppler-token", r"dp\.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[0-9A-Za-z.]{40,}"),
    _token("duffel-token", "duffel_", r"duffel_(?:test|live)_[0-9A-Za-z_=-]{30,}"),
    _token("dynatrace-token", "dt0c01", r"dt0c01\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{40,}"),
    _token("easypost-token", "ezak eztk", r"EZ[AT]K[0-9A-Za-z]{54}"),
    _token(
        "facebook-token",
        "eaa[a-z][0-9a-z] [0-9]{15}[|%]",
        r"EAA[A-Z][0-9A-Za-z]{60,}|[0-9]{15,16}[|%][0-9A-Za-z_-]{27,40}",
        3.0,
        Shape.RANDOM,
    ),
    _token("flutterwave-key", "flwseck flwpubk", r"(?i)FLW(?:SEC|PUB)K(?:_TEST)?-[0-9a-z]{12,32}(?:-X)?"),
    _token("flyio-token", "fo1_ fm1 fm2_", r"fo1_[0-9A-Za-z_-]{43}|fm[12][ar]?_[0-9A-Za-z+/]{64,}={0,3}"),
    _token("frameio-token", "fio-u-", r"fio-u-[0-9A-Za-z_=-]{40,}"),
    _token(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"gh[opsur]_[0-9A-Za-z]{30,}|github_pat_[0-9A-Za-z_]{36,}",
    ),
    _token(
        "gitlab-token",
        "glpat- glcbt- gldt- glffct- glft- glimt- glagent- gloas- glptt- glrt glsoat- glwt- gr1348941",
        r"gl(?:pat|cbt|dt|ffct|ft|imt|agent|oas|ptt|rtr?|soat|wt)-(?:[0-9A-Za-z]{1,5}_)?[0-9A-Za-z_-]{20,}"
        r"(?:\.[0-9a-z]{9})?|GR1348941[0-9A-Za-z_-]{20,}",
        3.0,
    ),
    _token("gitlab-session", "_gitlab_session", r"_gitlab_session=[0-9A-Za-z]{32}"),
    _token("gocardless-token", "live_", r"live_[0-9A-Za-z_=-]{40}", 3.0),
    _token("google-key", "aiza", r"AIza[0-9A-Za-z_-]{35}"),
    _token(
        "google-oauth",
        r"gocspx- ya29\. 1//",
        r"GOCSPX-[0-9A-Za-z_-]{20,}|ya29\.[0-9A-Za-z_-]{20,}|1//0[0-9A-Za-z_-]{30,}",
    ),
    _token(
        "grafana-token",
        "eyjrijoi glc_ glsa_",
        r"(?i)eyJrIjoi[0-9a-z+/]{40,}={0,3}|glc_[0-9a-z+/]{32,}={0,3}|glsa_[0-9a-z]{32}_[0-9a-f]{8}",
    ),
    _token("harness-key", r"pat\. sat\.", r"[ps]at\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{20}"),
    _token("terraform-token", r"\.atlasv1\.", r"[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{40,}"),
    _token("heroku-key", "hrku-", r"HRKU-[0-9A-Za-z_-]{30,}"),
    _token("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[0-9A-Za-z]{30,}"),
    _token("infracost-key", "ico-", r"ico-[0-9A-Za-z]{32}"),
    _token("intra42-secret", "s-s4t2", r"s-s4t2(?:ud|af)-[0-9a-fA-F]{64}"),
    _token("linear-key", "lin_", r"lin_(?:api|oauth)_[0-9A-Za-z]{32,}"),
    _token("mailchimp-key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}\b"),
    _token("mapbox-token", r"pk\. sk\. tk\.", r"[pst]k\.[0-9A-Za-z]{50,}\.[0-9A-Za-z_-]{22}"),
    _token("maxmind-key", "_mmk", r"[0-9A-Za-z]{6}_[0-9A-Za-z]{29}_mmk"),
    _token("newrelic-key", "nrjs- nrii- nrak- nral", r"NR(?:JS|II|AK|AL)-[0-9A-Za-z-]{19,40}"),
    _token("notion-token", "ntn_ secret_", r"ntn_[0-9A-Za-z]{40,}|secret_[0-9A-Za-z]{43}"),
    _token("npm-token", "npm_", r"(?i)npm_[0-9a-z]{36}"),
    _token("octopus-key", "api-", r"API-[0-9A-Z]{26}\b", 3.0),
    _token("openai-key", "sk-", r"sk-(?:(?:proj|svcacct|admin)-)?[0-9A-Za-z_-]{20,}", 3.0, Shape.RANDOMISH),
    _token("openshift-token", "sha256~", r"sha256~[0-9A-Za-z_-]{43}"),
    _token("perplexity-key", "pplx-", r"pplx-[0-9A-Za-z]{40,}"),
    _token("plaid-token", "access-", r"access-(?:sandbox|development|production)-[0-9a-f-]{36}"),
    _token("planetscale-token", "pscale_", r"(?i)pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}"),
    _token("postman-key", "pmak-", r"(?i)PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _token("prefect-key", "pnu_", r"pnu_[0-9A-Za-z]{36}"),
    _token("pulumi-token", "pul-", r"pul-[0-9a-f]{40}"),
    _token("pypi-token", "pypi-", r"pypi-[0-9A-Za-z_-]{50,}"),
    _token("readme-token", "rdme_", r"rdme_[0-9a-z]{70}"),
    _token("rubygems-token", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _token("scalingo-token", "tk-us-", r"tk-us-[0-9A-Za-z_-]{48}"),
    _token("sendgrid-token", r"sg\.", r"SG\.[0-9A-Za-z_=.-]{40,}"),
    _token("sendinblue-token", "xkeysib-", r"xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}"),
    _token("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[0-9A-Za-z+/=_]{40,}"),
    _token("settlemint-token", "sm_", r"sm_[aps]at_[0-9A-Za-z]{16}"),
    _token("shippo-token", "shippo_", r"shippo_(?:live|test)_[0-9a-fA-F]{40}"),
    _token("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _token(
        "slack-token", "xox xapp", r"(?i)xox[abeoprs](?:\.xox[bp])?-[0-9a-z-]{8,}|xapp-[0-9]-[0-9a-z-]{10,}"
    ),
    _token(
        "slack-webhook",
        r"hooks\.slack\.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[0-9A-Za-z+/]{20,}",
    ),
    _token("sonar-token", "squ_ sqp_ sqa_", r"sq[apu]_[0-9a-f]{40}"),
    _token("sourcegraph-token", "sgp_", r"sgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}"),
    _token("square-token", "eaaa sq0", r"EAAA[0-9A-Za-z_-]{22,60}|sq0[a-z]{3}-[0-9A-Za-z_-]{22,60}", 3.0),
    _token("stripe-key", "sk_ rk_ pk_ whsec_", r"(?:[prs]k_(?:test|live|prod)|whsec)_[0-9A-Za-z+/=]{10,200}"),
    _token(
        "teams-webhook",
        r"webhook\.office\.com",
        r"[0-9a-z]+\.webhook\.office\.com/webhookb2/[0-9A-Za-z@/-]{60,}",
    ),
    _token("telegram-token", ":a", r"[0-9]{5,16}:A[0-9A-Za-z_-]{34}\b", 3.5),
    _token("twilio-key", "sk ac", r"(?:SK|AC)[0-9a-fA-F]{32}\b", 3.0),
    _token("typeform-token", "tfp_", r"tfp_[0-9A-Za-z_.=-]{40,}"),
    _token(
        "vault-token",
        r"hvs\. hvb\. hvr\. s\.",
        r"hv[bsr]\.[0-9A-Za-z_-]{24,}|s\.[0-9A-Za-z]{24}\b",
        3.5,
        Shape.RANDOM,
    ),
    _token(
        "yandex-key",
        r"aqvn t1\.",
        r"AQVN[0-9A-Za-z_-]{35,38}|t1\.[0-9A-Za-z_-]+={0,2}\.[0-9A-Za-z_-]{86}={0,2}",
    ),
    _token("sidekiq-key", "contribsys", r"(?i)contribsys__com[\"'\s:=]{1,6}[0-9a-f]{8}:[0-9a-f]{8}"),
)
